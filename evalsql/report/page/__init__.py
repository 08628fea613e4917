"""Reports: what one holds, as Markdown, LaTeX and JSON, and as one HTML page that answers more with its script."""
