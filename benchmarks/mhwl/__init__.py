"""The five tables of Meng, He, Wang & Liu 2012 beside ours: `python -m benchmarks.mhwl`."""
