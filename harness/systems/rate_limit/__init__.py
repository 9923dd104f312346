"""Detection of rate limits and exponential back-off: document 000, Rate Limit Handling."""
