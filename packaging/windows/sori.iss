; The installer for Windows: for this user, without the rights of an administrator. build.ps1 calls it.
[Setup]
AppId={{6F0B6A5E-2C0D-4C3B-9D0A-1B7E5C7C50B1}
AppName=Sori
AppVersion={#Version}
AppPublisher=The Sori project
DefaultDirName={localappdata}\Programs\Sori
DefaultGroupName=Sori
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
OutputBaseFilename=Sori-{#Version}-setup
SetupIconFile=..\..\dist\sori.ico
UninstallDisplayIcon={app}\sori.ico
LicenseFile=..\..\LICENSE
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
Compression=lzma2
SolidCompression=yes
WizardStyle=modern

[Languages]
Name: "ko"; MessagesFile: "compiler:Languages\Korean.isl"
Name: "en"; MessagesFile: "compiler:Default.isl"

[Files]
Source: "..\..\dist\Sori\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion
Source: "..\..\dist\sori.ico"; DestDir: "{app}"

[Icons]
; pythonw opens no console window. AppUserModelID joins the window with this icon in the task bar.
Name: "{group}\Sori"; Filename: "{app}\python\pythonw.exe"; Parameters: "-P -m assistant.app.start"; WorkingDir: "{userdocs}"; IconFilename: "{app}\sori.ico"; AppUserModelID: "sori"

[Run]
Filename: "{app}\python\pythonw.exe"; Parameters: "-P -m assistant.app.start"; Description: "{cm:LaunchProgram,Sori}"; Flags: nowait postinstall skipifsilent

[InstallDelete]
; An update leaves no modules of the former version.
Type: filesandordirs; Name: "{app}\python"

[UninstallDelete]
Type: filesandordirs; Name: "{app}\python"
