"""Native mode (`raddle run`): records the threads of a program without scheduling them."""
