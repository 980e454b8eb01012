"""The stylesheet of the window, with ``$name`` for each colour of ``theme.Colors``.

Every focusable widget reserves two pixels for its focus ring, so that nothing moves when the ring appears.
"""

STYLESHEET = """
QWidget { color: $text; }
QMainWindow, QDialog, #centre, #conversation, #conversation > QWidget > QWidget { background: $ground; }
#empty, #empty > QWidget > QWidget { background: $ground; }
QToolTip { background: $surface; color: $text; border: 1px solid $border; padding: 5px 8px; }

QToolButton, QPushButton {
  background: transparent; border: 2px solid transparent; border-radius: 10px; padding: 5px;
}
QToolButton:hover, QPushButton:hover { background: $hover; }
QToolButton:pressed, QPushButton:pressed { background: $border; }
QToolButton:focus, QPushButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; width: 0; }
QToolButton[filled="true"], QPushButton[filled="true"] { background: $accent; color: $on_accent; }
QToolButton[filled="true"]:focus, QPushButton[filled="true"]:focus { border-color: $text; }
QToolButton[filled="true"]:disabled { background: $hover; }
QToolButton[small="true"] { padding: 0; border-radius: 8px; }
QToolButton[round="true"] { border-radius: 18px; padding: 0; }
QPushButton { background: $surface; border: 2px solid $border; padding: 6px 14px; }
QPushButton:disabled { background: transparent; color: $dim; }
QPushButton[filled="true"] { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[filled="true"]:focus { border-color: $text; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; padding: 3px 8px; color: $accent; }
QPushButton[flat="true"]:hover { background: $hover; }
QPushButton[flat="true"]:focus { border-color: $accent; }

QMenu, #popover { background: $surface; border: 1px solid $border; border-radius: 12px; padding: 6px; }
QMenu { menu-scrollable: 1; }
#models { background: transparent; border: none; outline: 0; }
QMenu::item { padding: 7px 26px 7px 14px; border-radius: 8px; }
QMenu::item:selected { background: $hover; color: $text; }
QMenu::item:disabled { color: $dim; }
QMenu::separator { height: 1px; background: $border; margin: 6px 8px; }
QMenu::icon { padding-left: 10px; }
QMenu::indicator { width: 14px; height: 14px; margin-left: 8px; }
QPushButton::menu-indicator { width: 10px; subcontrol-position: right center; right: 6px; }

QScrollArea { border: none; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar::handle:vertical { background: $border; border-radius: 3px; min-height: 36px; margin: 2px 3px 2px 2px; }
QScrollBar::handle:vertical:hover { background: $dim; }
QScrollBar:horizontal { background: transparent; height: 9px; margin: 0; }
QScrollBar::handle:horizontal { background: $edge; border-radius: 2px; min-width: 36px; margin: 2px 2px 3px 2px; }
QScrollBar::handle:horizontal:hover { background: $dim; }
QScrollBar::add-line, QScrollBar::sub-line { height: 0; width: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QPlainTextEdit#input { placeholder-text-color: $dim; }
QTextEdit#words, QPlainTextEdit#input {
  background: transparent; border: none; selection-background-color: $accent; selection-color: $on_accent;
}

#sidebar { background: $surface; border-right: 1px solid $border; }
#conversations { background: transparent; border: none; padding: 0 4px; outline: 0; }
#search, #key, #reply {
  background: $ground; color: $text; border: 1px solid $edge; border-radius: 10px; margin: 1px; padding: 5px 8px;
}
#search:focus, #key:focus, #reply:focus { border: 2px solid $accent; margin: 0; }
#rename { background: $ground; color: $text; border: 2px solid $accent; border-radius: 9px; padding: 0 8px; }
#undo { background: $hover; border-radius: 10px; }
#find { background: $surface; border-bottom: 1px solid $border; }
#conversationTree {
  background: $surface; border: 1px solid $border; border-radius: 10px; padding: 4px; outline: 1px solid $accent;
}
#conversationTree::item { padding: 5px 6px; border: none; }
#conversationTree::item:selected, #conversationTree::branch:selected { background: $hover; color: $text; }

#kept { background: $surface; border: 1px solid $border; border-radius: 12px; }
#consent { border: 2px solid transparent; border-radius: 8px; padding: 3px; }
#consent:focus { border-color: $accent; }
#consent::indicator { width: 14px; height: 14px; background: $ground; border: 2px solid $dim; border-radius: 5px; }
#consent::indicator:checked { background: $accent; border-color: $accent; }
#setting { background: $surface; border: 1px solid $border; border-radius: 12px; }
#setting[found="true"] { border: 2px solid $accent; }
#recordWords {
  background: transparent; border: none; selection-background-color: $accent; selection-color: $on_accent;
}
#records { background: transparent; border: 2px solid transparent; border-radius: 12px; outline: 0; }
#sections { background: transparent; border: none; outline: 0; }
#sections::item { padding: 5px 10px; border: 2px solid transparent; border-radius: 9px; color: $text; }
#sections::item:disabled { color: $dim; padding-top: 9px; }
#sections::item:selected { background: $hover; color: $text; }
#sections:focus::item:selected { border-color: $accent; }
#sections::item:hover { background: $hover; }
#step { padding: 4px 0; min-width: 26px; }
QProgressBar { background: $hover; border: none; border-radius: 3px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }

#header { background: $ground; border-bottom: 1px solid $border; }
#state { font-weight: 600; }
#because { color: $warning; font-weight: 600; }
#agentChip { background: $hover; border: 1px solid $border; border-radius: 10px; }
#detail, #model, #mark, #hint, #intro, #toolName, #facts { color: $dim; }
#mute { border-radius: 14px; padding: 3px 9px; }
#mute[muted="true"] { background: $hover; color: $text; border-color: $edge; font-weight: 600; }
#mute[muted="true"]:focus { border-color: $accent; }
#talk { padding: 0 12px 0 8px; }
#timer { background: $surface; border: 1px solid $border; border-radius: 10px; }
#timer[ringing="true"] { background: $warning_ground; border: 2px solid $warning; }
#timer[ringing="true"] QLabel { color: $warning; font-weight: 600; }
#timerLeft { font-weight: 600; }
#stopRinging { padding: 2px 12px; border-color: $warning; }
#stopRinging:focus { border-color: $accent; }
#composer { background: $surface; border: 1px solid $edge; border-radius: 18px; margin: 1px; }
#composer #model { border-radius: 12px; padding: 4px 12px; color: $dim; }
#composer #model:hover { background: $hover; color: $text; }
#composer[focused="true"] { border: 2px solid $accent; margin: 0; }

#row { border: 2px solid transparent; border-radius: 14px; }
#row:focus { border-color: $accent; }
#messageActions { background: $surface; border: 1px solid $border; border-radius: 10px; }
#messageEdit { background: $surface; border: 2px solid $accent; border-radius: 16px; }
#bubble { background: $bubble; border-radius: 16px; }
#bubble[live="true"] { background: transparent; border: 1px dashed $dim; }
#bubble QTextEdit#words { color: $on_bubble; }
#bubble[live="true"] QTextEdit#words { color: $text; }
#chip { background: $hover; border: 1px solid $border; border-radius: 10px; }
#danger[level="sensitive"] { color: $warning; }
#danger[level="restricted"] { color: $error; font-weight: bold; }
#ask QPushButton[flat="true"] { padding-left: 0; }
#askTime { background: $border; border: none; border-radius: 2px; }
#askTime::chunk { background: $accent; border-radius: 2px; }
#chip[warns="true"] { background: $warning_ground; }
#chip QLabel[warns="true"] { color: $warning; }
#attachments, #attachments > QWidget > QWidget { background: transparent; }
#statusNote { background: $hover; border-radius: 10px; }
#statusNote QLabel { color: $dim; }
#statusNote[severity="warning"] QLabel { color: $text; }
#tool { background: $hover; border-radius: 10px; }
#reasoning { border: none; border-left: 2px solid $border; }
#reasoning QTextEdit#words { color: $dim; }
#passageText { background: $surface; border: 1px solid $border; border-radius: 12px; padding: 8px 10px; }
#failure { background: $surface; border: 1px solid $border; border-radius: 12px; }
#ask { background: $surface; border: 2px solid $accent; border-radius: 12px; }
#ask[over="true"] { border-color: $border; }
#mark[severity="error"] { color: $error; }
#mark[severity="warning"] { color: $warning; }

#reading { background: $surface; border-bottom: 1px solid $border; }
#flow { background: $surface; border: 1px solid $border; border-radius: 10px; }
#quick { background: transparent; border: none; padding: 4px 0; font-size: 17px; }
#quickAnswer, #quickAnswer > QWidget > QWidget { background: transparent; }
#floating { background: $surface; border: 1px solid $border; border-radius: 12px; }
#reached { color: $accent; }
#title { font-weight: 600; }
#pageTitle { font-size: 19px; font-weight: 600; }
#listening { background: $ground; }
#wakePhrase { font-size: 20px; font-weight: 600; }
#take { background: $surface; border: 1px solid $border; border-radius: 12px; }
#take[state="now"] { border: 2px solid $accent; }
#take[state="heard"] { background: $info_ground; }
#takeMark { font-weight: 600; }
#card { background: $surface; border: 2px solid $border; border-radius: 14px; padding: 0; text-align: left; }
#card:hover { background: $hover; }
#card:focus { border-color: $accent; }
#card:disabled { background: transparent; }
#cardTitle { font-weight: 600; }
#latest { background: $surface; border: 2px solid $border; border-radius: 18px; padding: 6px; }
#latest:focus { border-color: $accent; }

#notice { border-radius: 12px; background: $surface; border: 1px solid $border; }
#notice QPushButton[flat="true"] { padding-left: 0; }

#codeArea { background: $surface; border: none; selection-background-color: $accent; selection-color: $on_accent; }
#code {
  background: $surface; border: 1px solid $border; border-radius: 10px; padding: 10px;
  selection-background-color: $accent; selection-color: $on_accent;
}
"""
