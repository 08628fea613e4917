"""One warehouse file and its life: opening, making, bringing up to date, and the measures that users add to it."""
