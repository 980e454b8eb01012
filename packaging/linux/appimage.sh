#!/usr/bin/env bash
# Makes an AppImage of a bundle: packaging/linux/appimage.sh dist/Sori dist
# Expects appimagetool with its runtime, which no package registry has.
set -euo pipefail

bundle=$(realpath "$1")
target=$(realpath "$2")
python=$bundle/python/bin/python3
resources=$("$python" -P -c 'from assistant.host.places import RESOURCES; print(RESOURCES)')
version=$("$python" -P -c 'from assistant.core.version import VERSION; print(VERSION)')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp -a "$bundle" "$work/Sori.AppDir"
cd "$work/Sori.AppDir"
ln -s sori AppRun
cp "$resources/desktop/sori.desktop" .
cp "$resources/icons/sori.svg" .
cp "$resources/desktop/sori-256.png" .DirIcon
install -Dm644 "$resources"/desktop/*.metainfo.xml -t usr/share/metainfo
VERSION=$version appimagetool "$work/Sori.AppDir" "$target/Sori-$version-$(uname -m).AppImage"
