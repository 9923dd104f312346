"""A run as one HTML file: no network, no script but its own, whatever the implementation under test calls itself."""
