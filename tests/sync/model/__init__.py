"""Three hosts and all that can go wrong between them, for tests/sync/test_three_hosts.py."""
