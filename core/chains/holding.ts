import type { Session } from './session.ts'

/** How long an application is left alone: a little at first, twice as long each time. Milliseconds. */
export interface Hold { until: number; pause: number }

/** Applications whose contracts take nothing at present. */
export function held({ holds }: Session): string[] {
  const now = Date.now()
  return [...holds].filter(([, { until }]) => until > now).map(([application]) => application)
}

/** Leaves an application alone for a while, so that the others go on. @param most the longest pause */
export function hold(session: Session, application: string, reason: string, most = session.pace.hold): void {
  const { holds, network, log } = session
  const before = holds.get(application)
  if (before && before.until > Date.now()) return
  const pause = Math.min(most, before ? before.pause * 2 : Math.ceil(most / 16))
  holds.set(application, { until: Date.now() + pause, pause })
  if (!before) log.warn({ network, application, reason }, 'a contract takes nothing: its operations wait')
}

/** How many times longer one waits that cannot be deployed: each try may cost a fee. */
const longer = 40

/** The same, when its contract cannot be deployed. */
export const holdDeployment = (session: Session, application: string, reason: string) =>
  hold(session, application, reason, session.pace.hold * longer)

/** Its contract takes operations again. */
export function release({ holds, network, log }: Session, application: string): void {
  if (holds.delete(application)) log.info({ network, application }, 'a contract takes operations again')
}
