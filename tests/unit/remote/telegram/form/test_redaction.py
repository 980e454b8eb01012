"""What tells about this computer goes out of what leaves; ordinary text stays as it is."""

import pytest

from assistant.remote.telegram.form.redaction import GONE, Own, Redaction

OWN = Own(
    home="/home/minji",
    account="minji",
    machine="minji-thinkpad",
    ids=("3f2b8c1d9e7a4f60b1c2d3e4f5a6b7c8", "a4:5e:60:c1:22:9f"),
    keys=("123456789:AAHfakeTokenOfATestServer_0123456789",),
    roots=("bin", "etc", "home", "usr", "work"),
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
        ("minji님의 컴퓨터 minji-thinkpad에서", f"minji님의 컴퓨터 {GONE}에서"),
        ("사용자 이름은 minji예요", f"사용자 이름은 {GONE}예요"),
        ("logged in as user minji", f"logged in as user {GONE}"),
        ("minji 계정으로 실행했어요", f"{GONE} 계정으로 실행했어요"),
        ("-rw-r--r-- 1 minji minji 4096 Nov 27 a.txt", f"-rw-r--r-- 1 {GONE} {GONE} 4096 Nov 27 a.txt"),
        ("ls ~minji/bin", f"ls ~{GONE}/bin"),
        ("/srv/회사/계약.pdf에 있어요", "…/계약.pdf에 있어요"),
        ("/work/acme/notes.md에 있어요", "…/notes.md에 있어요"),
        ("/etc/openvpn/client/acme.conf를 읽어요", "…/acme.conf를 읽어요"),
        ("'/srv/우리 회사/계약 최종.pdf'", "'…/계약 최종.pdf'"),
        (r"C:\Users\Kim Minji\Documents\예산.xlsx를 열어요", "…/예산.xlsx를 열어요"),
        ("ZAI_API_KEY=0a1b2c3d4e5f.AbCdEfGhIj", f"ZAI_API_KEY={GONE}"),
        ('"api_key": "0123456789abcdef"', f'"api_key": "{GONE}"'),
        ("비밀번호는 Tiger-2026-blue예요", f"비밀번호는 {GONE}예요"),
        ("postgresql://minji:geheim1@db.example:5432/x", f"postgresql://{GONE}@db.example:5432/x"),
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
        "https://example.com/srv/x와 https://example.com/work/y",
        "POST /v1/chat/completions와 GET /works/1/edit",
        "/etc/nginx/nginx.conf와 /etc/ssh/sshd_config와 /var/log/syslog",
        "/usr/lib/python3/dist-packages/x.py",
        "api_key = os.environ['OPENAI_API_KEY']",
        "token = read_token_of_user(request)",
        "password: str = ''",
        "토큰은 문장을 나눈 조각이에요",
        "minji는 오늘 피아노를 쳐요. Minji plays well.",
        "minji@example.com으로 보내요",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    ("account", "text"),
    [
        ("ubuntu", "우분투를 깔려면 install ubuntu, 또는 ubuntu를 내려받으세요"),
        ("ubuntu", "docker run -it ubuntu:24.04 bash"),
        ("mina", "mina는 가수예요. The singer mina was born in 1940."),
        ("user", "SELECT * FROM user WHERE user = 1"),
    ],
)
def test_an_account_whose_name_is_a_word_does_not_take_the_word_out_of_sentences(account: str, text: str) -> None:
    assert Redaction(Own(account=account, machine=account, home=f"/home/{account}"))(text) == text


@pytest.mark.parametrize("account", ["ubuntu", "mina", "민아"])
def test_an_account_whose_name_is_a_word_goes_where_an_account_is_meant(account: str) -> None:
    found = Redaction(Own(account=account, machine="macbook", home=f"/home/{account}"))
    text = f"{account}@macbook:~$ cat /home/{account}/a.txt # USER={account}"
    assert found(text) == f"{GONE}@{GONE}:~$ cat …/a.txt # USER={GONE}"


@pytest.mark.parametrize("name", ["kim.minji", "minji92", "minji_kim", "DESKTOP-4F2A"])
def test_a_name_that_is_no_word_goes_everywhere(name: str) -> None:
    assert Redaction(Own(account=name))(f"{name}님, {name}에 저장했어요") == f"{GONE}님, {GONE}에 저장했어요"


def test_keys_that_become_known_later_go() -> None:
    keys: list[str] = []
    redaction = Redaction(OWN, lambda: keys)
    keys.append("zai.key.of.a.provider")
    assert redaction("키는 zai.key.of.a.provider예요") == f"키는 {GONE}예요"


@pytest.mark.parametrize("account", ["root", "user", "admin", "li", ""])
def test_a_name_that_all_have_is_no_secret(account: str) -> None:
    text = "root와 user와 admin과 li는 흔한 이름이에요"
    assert Redaction(Own(account=account, machine="localhost", home="/root"))(text) == text


def test_a_home_with_a_space_in_its_name_goes_too() -> None:
    own = Own(home=r"C:\Users\Kim Minji", account="Kim Minji")
    found = Redaction(own)(r"C:\Users\Kim Minji\Documents\a.txt와 C:\Users\Kim Minji")
    assert found == "…/a.txt와 …"


@pytest.mark.parametrize(
    ("source", "left"),
    [
        (r"/home/kim\_lee/secret\_dir/내\_문서.txt에 있어요", "…/내_문서.txt에 있어요"),
        (r"host minji\-thinkpad", f"host {GONE}"),
        (r"계정 kim\_lee예요", f"계정 {GONE}예요"),
        ("/ho**me**/minji/z.txt", "…/z.txt"),
        ("`/home/minji/a.txt`와 **굵게**", "…/a.txt와 굵게"),
        ("집은/home/minji/a.txt예요", "집은…/a.txt예요"),
        ("[열기](/home/minji/비밀/a.txt)", "열기"),
        ("오디오/media/비디오", "오디오/media/비디오"),
        (r"수식 a\_b와 \*별\*", "수식 a_b와 *별*"),
    ],
)
def test_markup_hides_nothing(source: str, left: str) -> None:
    own = Own(home="/home/minji", account="kim_lee", machine="minji-thinkpad")
    assert Redaction(own).rich(source).text == left


def test_formats_before_and_behind_what_goes_stay() -> None:
    found = redact.rich("**앞**은 /ho*m*e/minji/a.txt, ~~뒤~~는 [그대로](https://example.com)")
    assert found.text == "앞은 …/a.txt, 뒤는 그대로"
    assert [(found.text[each.start : each.end], each.kind) for each in found.spans] == [
        ("앞", "bold"),
        ("뒤", "strikethrough"),
        ("그대로", "text_link"),
    ]
