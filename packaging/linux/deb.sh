#!/usr/bin/env bash
# Makes a Debian package of a bundle: packaging/linux/deb.sh dist/Sori dist
# Installed: /opt/sori, the commands sori and sori-window, the menu entry, the icons and the metadata.
# Expects dpkg-dev. What the bundle's own libraries need of the system is read from them.
set -euo pipefail

bundle=$(realpath "$1")
target=$(realpath "$2")
python=$bundle/python/bin/python3
resources=$("$python" -P -c 'from assistant.host.places import RESOURCES; print(RESOURCES)')
version=$("$python" -P -c 'from assistant.core.version import VERSION; print(VERSION)')
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

mkdir -p "$root/opt" "$root/usr/bin" "$root/usr/share/applications" "$root/usr/share/metainfo" "$root/DEBIAN"
cp -a "$bundle" "$root/opt/sori"
ln -s /opt/sori/sori "$root/usr/bin/sori"
ln -s /opt/sori/sori "$root/usr/bin/sori-window"
cp "$resources/desktop/sori.desktop" "$root/usr/share/applications/"
cp "$resources"/desktop/*.metainfo.xml "$root/usr/share/metainfo/"
icons=$root/usr/share/icons/hicolor
install -Dm644 "$resources/icons/sori.svg" "$icons/scalable/apps/sori.svg"
for picture in "$resources"/desktop/sori-*.png; do
    edge=$(basename "$picture" .png)
    edge=${edge#sori-}
    install -Dm644 "$picture" "$icons/${edge}x$edge/apps/sori.png"
done
install -Dm644 "$(dirname "$0")/../../LICENSE" "$root/usr/share/doc/sori/copyright"

# Libraries of the system: those of Sori's own list, and those of Python's modules.
needs=$("$python" -P -c '
from assistant.setup.system import NEEDS
print(", ".join(sorted({each.apt for scope in ("engines", "sound", "window") for each in NEEDS[scope]})))')
mkdir -p "$work/debian"
printf 'Source: sori\n\nPackage: sori\nArchitecture: any\n' >"$work/debian/control"
modules=("$root"/opt/sori/python/lib/python3.*/lib-dynload/*.so)
found=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "${modules[@]}" 2>/dev/null | sed 's/^shlibs:Depends=//')

# The package brings what Sori would check at its first start, so it need not.
"$root/opt/sori/python/bin/python3" -P -c '
from assistant.setup.environment import InstalledEnvironment
own = InstalledEnvironment()
own.write_note("system", {"checked": ["engines", "sound", "window"], "declined": [], "needs": own.needs_sum()})'

cat >"$root/DEBIAN/control" <<CONTROL
Package: sori
Version: $version
Architecture: $architecture
Maintainer: The Sori project <sori@localhost>
Installed-Size: $(du -sk "$root" | cut -f1)
Depends: $needs, $found
Recommends: bubblewrap
Section: utils
Priority: optional
Description: voice assistant that runs on your own computer
 Sori waits in the tray, wakes when you call it, listens through the microphone
 and answers aloud. Korean is its first language; English is equal.
CONTROL
dpkg-deb --root-owner-group -Zxz -z1 --build "$root" "$target/sori_${version}_$architecture.deb"
