"""The experiment of Souza et al. on structural testing and reachability testing of message-passing programs."""
