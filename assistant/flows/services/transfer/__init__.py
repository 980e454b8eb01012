"""The transfer service: "엄마한테 오만 원 보내 줘" becomes a confirmed transfer at a simulated bank."""
