"""What the commands about stored conversations share: choosing one, its pages, and files of conversations."""
