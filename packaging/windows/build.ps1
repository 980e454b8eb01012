# Makes the installer for Windows: packaging\windows\build.ps1
# Expects Python 3.11 or newer from its installer, and Inno Setup (iscc) on the path.
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "..\..")

py -3 packaging\bundle.py dist\Sori
$version = (& dist\Sori\python\python.exe -P -c "from assistant.core.version import VERSION; print(VERSION)").Trim()

# The icon of the shortcut and the installer, from the pictures of all sizes.
& dist\Sori\python\python.exe packaging\icon.py dist\sori.ico
iscc "/DVersion=$version" /Odist packaging\windows\sori.iss

# With a certificate, sign what people download:
#   signtool sign /fd sha256 /tr TIMESTAMP_SERVER /td sha256 /n "The Sori project" dist\Sori-$version-setup.exe
