"""What tells about this computer goes out of what leaves; ordinary text stays as it is."""

import pytest

from assistant.remote.telegram.form.redaction import GONE, Own, Redaction

OWN = Own(
    home="/home/minji",
    account="minji",
    machine="minji-thinkpad",
    ids=("3f2b8c1d9e7a4f60b1c2d3e4f5a6b7c8", "a4:5e:60:c1:22:9f"),
    keys=("123456789:AAHfakeTokenOfATestServer_0123456789",),
)
redact = Redaction(OWN)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("/home/minji/문서/계약서.pdf를 저장했어요.", "…/계약서.pdf를 저장했어요."),
        ("Saved to /home/minji/Documents/plan.txt.", "Saved to …/plan.txt."),
        ("`/home/minji/.config/sori/config.toml`에 있어요", "`…/config.toml`에 있어요"),
        ("(/Users/minji/Desktop/사진.png)", "(…/사진.png)"),
        ("/root/.ssh/id_rsa 파일", "…/id_rsa 파일"),
        ("홈은 /home/minji예요", "홈은 …예요"),
        ("cd /home/minji", "cd …"),
        ("/home/other/note.md", "…/note.md"),
        ("/media/minji/USB/백업.zip", "…/백업.zip"),
        ("/mnt/c/Users/민지/a.txt", "…/a.txt"),
        ("/tmp/sori-1f3/out.png", "…/out.png"),
        ("/var/folders/xy/abc/T/x.log", "…/x.log"),
        ("/Volumes/외장/영화.mp4에", "…/영화.mp4에"),
        ("file:///home/minji/a.html", "…/a.html"),
        (r"C:\Users\minji\Documents\예산.xlsx를 열었어요", "…/예산.xlsx를 열었어요"),
        (r"D:\작업\계약.hwp", "…/계약.hwp"),
        ("C:/Users/minji/a.txt", "…/a.txt"),
        (r"\\server\share\보고서.docx", "…/보고서.docx"),
        ("FileNotFoundError: '/home/minji/x/y.py'", "FileNotFoundError: '…/y.py'"),
        ("minji@minji-thinkpad:~$ ls", f"{GONE}@{GONE}:~$ ls"),
        ("uid=1000(minji) gid=1000(minji)", f"uid=1000({GONE}) gid=1000({GONE})"),
        ('File "/home/minji/내 문서/계약 최종.pdf", line 3', 'File "…/계약 최종.pdf", line 3'),
        ("'/Users/kim/My Music/a b.mp3'에", "'…/a b.mp3'에"),
        ("gcc -I /home/other/include", "gcc -I …/include"),
        ("PATH=/usr/bin:/home/other/bin", "PATH=/usr/bin:…/bin"),
        ("USER=minji", f"USER={GONE}"),
        ("minji님의 컴퓨터 minji-thinkpad에서", f"{GONE}님의 컴퓨터 {GONE}에서"),
        ("장치 3f2b8c1d9e7a4f60b1c2d3e4f5a6b7c8입니다", f"장치 {GONE}입니다"),
        ("MAC a4:5e:60:c1:22:9f", f"MAC {GONE}"),
        ("토큰은 123456789:AAHfakeTokenOfATestServer_0123456789예요", f"토큰은 {GONE}예요"),
        ("key sk-proj-abcDEF1234567890abcDEF", f"key {GONE}"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", GONE),
        ("Authorization: Bearer abcdefghijklmnop.qrstuv==", f"Authorization: Bearer {GONE}"),
        ("AKIAIOSFODNN7EXAMPLE를", f"{GONE}를"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", GONE),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n끝", f"{GONE}\n끝"),
    ],
)
def test_what_is_private_goes(text: str, left: str) -> None:
    assert redact(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "오늘 서울은 맑고 3/4 정도 흐려요.",
        "and/or, 24/7, km/h, 1/2컵",
        "https://example.com/home/minjae/page를 보세요",
        "https://example.com/tmp/a/b?x=/home/y",
        "https://github.com/minji/repo와 http://minji.example/a",
        "/etc/hosts를 고치고 /usr/bin/python3을 실행해요",
        "명령 /start 와 /help",
        "리눅스에서 홈은 /home 아래에 있어요. 임시 파일은 /tmp에 있어요.",
        "~/Documents와 $HOME/bin과 %USERPROFILE%\\Desktop",
        r"C:\Windows\System32\drivers\etc\hosts",
        r"C:\Program Files\Python",
        "경로는 /home/<사용자>/문서 형태예요",
        "minjin과 minji2와 sominji",
        "이메일 kim@example.com, 전화 010-1234-5678",
        "시간은 12:30:45, 비율은 16:9, C:\\ 드라이브",
        "UUID 01a219ba-5392-70d8-b735-fa4a521613d4는 예시예요",
        "sk-learn과 task-force, hf_hub",
        "정규식 \\d+\\w\\s와 LaTeX \\frac{1}{2}",
        "root 권한과 admin 계정",
        "**중요**한 건 `a/b/c.py`와 `./src/main.py`예요",
        "GET /users/1/home HTTP/1.1",
        "TCP/IP, N/A, he/she, 남/녀",
        "날짜 2026/11/26, 값 10:20:30:40",
        "Bearer 토큰을 쓰세요",
        '문자열 "a\\nb"',
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("account", ["root", "user", "admin", "li", ""])
def test_a_name_that_all_have_is_no_secret(account: str) -> None:
    text = "root와 user와 admin과 li는 흔한 이름이에요"
    assert Redaction(Own(account=account, machine="localhost", home="/root"))(text) == text


def test_a_home_with_a_space_in_its_name_goes_too() -> None:
    own = Own(home=r"C:\Users\Kim Minji", account="Kim Minji")
    found = Redaction(own)(r"C:\Users\Kim Minji\Documents\a.txt와 C:\Users\Kim Minji")
    assert found == "…/a.txt와 …"
