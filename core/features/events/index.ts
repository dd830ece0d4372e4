export { countEvents } from './events.counts.ts'
export { passportEventsSql } from './events.history.ts'
export { recordEvent, recordEvents, type NewEvent } from './events.record.ts'
export { maintainEventMonths } from './events.months.ts'
