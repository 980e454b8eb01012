"""Latin words in Korean text: loanwords, acronyms, and words converted by their pronunciation."""
