"""Latin words in Korean text: loanwords, acronyms, and words read as they sound."""
