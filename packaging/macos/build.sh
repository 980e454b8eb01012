#!/usr/bin/env bash
# Makes Sori.app and its disk image for macOS: packaging/macos/build.sh
# Expects a movable Python 3.11 or newer (uv python install 3.11; uv run --python 3.11), and Xcode's command line tools.
# SIGNING_IDENTITY names a "Developer ID Application" certificate; NOTARY_PROFILE a profile of notarytool.
set -euo pipefail
cd "$(dirname "$0")/../.."

app=dist/Sori.app
python3 packaging/bundle.py "$app/Contents/Resources/Sori"
python=$app/Contents/Resources/Sori/python/bin/python3
version=$("$python" -P -c 'from assistant.core.version import VERSION; print(VERSION)')
"$python" -P packaging/icon.py "$app/Contents/Resources/sori.icns"

mkdir -p "$app/Contents/MacOS"
cat >"$app/Contents/MacOS/Sori" <<'LAUNCHER'
#!/bin/sh
exec "$(dirname "$0")/../Resources/Sori/python/bin/python3" -P -m assistant.app.start "$@"
LAUNCHER
chmod +x "$app/Contents/MacOS/Sori"

cat >"$app/Contents/Info.plist" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>CFBundleIdentifier</key><string>app.sori.Sori</string>
  <key>CFBundleName</key><string>Sori</string>
  <key>CFBundleExecutable</key><string>Sori</string>
  <key>CFBundleIconFile</key><string>sori</string>
  <key>CFBundlePackageType</key><string>APPL</string>
  <key>CFBundleShortVersionString</key><string>$version</string>
  <key>CFBundleVersion</key><string>$version</string>
  <key>LSMinimumSystemVersion</key><string>12.0</string>
  <key>NSHighResolutionCapable</key><true/>
  <key>NSMicrophoneUsageDescription</key><string>Sori listens for its name and to what you say. Speech stays on this Mac unless you choose a server. 소리는 이름을 부르는 말과 하시는 말씀을 들어요.</string>
</dict>
</plist>
PLIST

# Every library and program inside is signed first, then the app. The microphone needs its entitlement.
identity=${SIGNING_IDENTITY:--}
entitlements=packaging/macos/entitlements.plist
find "$app" -type f \( -name '*.so' -o -name '*.dylib' -o -path '*/bin/python3*' \) -print0 |
    xargs -0 codesign --force --timestamp --options runtime --entitlements "$entitlements" --sign "$identity"
codesign --force --timestamp --options runtime --entitlements "$entitlements" --sign "$identity" "$app"
codesign --verify --deep --strict "$app"

image=dist/Sori-$version.dmg
hdiutil create -volname Sori -srcfolder "$app" -ov -format UDZO "$image"
if [[ -n ${NOTARY_PROFILE:-} ]]; then
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$image"
fi
