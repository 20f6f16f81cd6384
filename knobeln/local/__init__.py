"""Programs at home: build them and play games, without a contest and without mail."""
