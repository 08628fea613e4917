"""What values are checked against: peers, and loops as plain as can be."""
