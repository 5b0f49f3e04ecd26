"""The experiments of the paper on AutoConTest: Terragni, Cheung, ICSE 2016."""
