import type { Logger } from 'pino'

/** What of the complaints of phones goes to our log: whoever sends many can fill no disk with them. */
const maxLines = { ofRequest: 10, ofMinute: 60 } as const
const maxCharacters = 300
const minuteMs = 60_000

let minute = 0
let lines = 0

/** Writes what a phone complains about to the log, shortened, and drops what is too much. */
export function takeLogs(log: Pick<Logger, 'warn'>, messages: readonly string[]): void {
  const now = Math.floor(Date.now() / minuteMs)
  if (now !== minute) [minute, lines] = [now, 0]
  for (const message of messages.slice(0, maxLines.ofRequest)) {
    if (lines >= maxLines.ofMinute) return
    lines++
    log.warn({ message: message.slice(0, maxCharacters) }, 'a phone complains about a pass')
  }
}
