"""The relations on other engines than the warehouse's own."""
