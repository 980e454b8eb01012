// Whether somebody speaks, and whether it is over Sori's voice. Pure: levels and milliseconds in, decisions out.
//
// The numbers of an interruption are those of the computer's own microphone (voice/overlap/judge.py). The browser has removed the echo.

const ABOVE_ROOM_DB = 12;
const ROOM_DB = [-70, -45];
const LEAST_DB = -50;
const ROOM_MS = 3000;
const ECHO_MARGIN_DB = 30; // What is left of an echo is weaker than the voice by more than this.
const ECHO_MS = 400; // The way from the loudspeaker to the microphone, and the room.
const ABOVE_ECHO_DB = 6;

const HEARD_MS = 130;
const WITHIN_MS = 500;
const FALSE_ALARM_MS = 60;
const MOST_FALSE_ALARMS = 3;

/** Tells speech from the room by its level, and from what is left of Sori's own voice. */
export class Activity {
  constructor() {
    this.recent = [];
    this.echo = -Infinity;
    this.sounding = [];
  }

  /** Take the next piece: its level, its length and the level of what is played. Returns whether somebody speaks. */
  feed(db, ms, played = -Infinity) {
    const room = within(this.recent, db, ms, ROOM_MS, Math.min);
    const voice = within(this.sounding, played, ms, ECHO_MS, Math.max);
    const needed = Math.max(LEAST_DB, Math.min(Math.max(room, ROOM_DB[0]), ROOM_DB[1]) + ABOVE_ROOM_DB);
    const quiet = voice < LEAST_DB - ABOVE_ROOM_DB;
    return db > (quiet ? needed : Math.max(needed, voice - ECHO_MARGIN_DB, this.echo));
  }

  /** What was taken for speech was Sori's own voice, and this loud. */
  mistook(db) {
    this.echo = Math.max(this.echo, db + ABOVE_ECHO_DB);
  }
}

function within(recent, value, ms, span, choose) {
  recent.push({ value, ms });
  let length = recent.reduce((sum, each) => sum + each.ms, 0);
  while (length - recent[0].ms >= span) length -= recent.shift().ms;
  return choose(...recent.map((each) => each.value));
}

/** Waits for speech that is long enough to pause Sori's voice. Each false alarm makes it wait longer. */
export class Onset {
  constructor() {
    this.recent = [];
    this.alarms = 0;
  }

  /** Take whether the next piece is speech. Returns for how many milliseconds somebody has spoken; 0 until it counts. */
  feed(speech, ms) {
    this.recent.push({ speech, ms });
    let length = this.recent.reduce((sum, each) => sum + each.ms, 0);
    while (length > WITHIN_MS) length -= this.recent.shift().ms;
    const spoken = this.recent.reduce((sum, each) => sum + (each.speech ? each.ms : 0), 0);
    if (spoken < HEARD_MS + FALSE_ALARM_MS * Math.min(this.alarms, MOST_FALSE_ALARMS)) return 0;
    this.recent = [];
    return spoken;
  }
}
