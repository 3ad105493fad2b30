"""Reading a text: sentences, statements and table rows, words, numbers and times, each with its exact place."""
