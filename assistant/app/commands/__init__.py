"""The commands of ``sori``, one file each."""
