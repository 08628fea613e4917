"""What is known of topics beside their judgments: texts, and groups that they belong to."""
