"""What st2 costs, as ratios against a floor measured in the same run."""
