export { recordEvent, recordEvents, type NewEvent } from './events.record.ts'
export { keepEventMonths } from './events.months.ts'
