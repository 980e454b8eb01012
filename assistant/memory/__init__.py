"""What Sori remembers of the user: facts as lines of files that people can read and edit."""
