"""AutoConTest (Terragni, Cheung, ICSE 2016): call sequences that cover new call traces, assembled into tests."""
