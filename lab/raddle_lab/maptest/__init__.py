"""The experiments of the paper on MAP-coverage: Wang, Zhao, Liu, Sun, Chen, Lin, ASE 2019."""
