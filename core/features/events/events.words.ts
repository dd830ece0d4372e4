export const eventSubjects = ['application', 'dppPassport', 'wallet'] as const
export const eventTypes = ['create', 'update', 'delete', 'publish', 'claim', 'scan', 'transfer'] as const
export type EventSubject = (typeof eventSubjects)[number]
export type EventType = (typeof eventTypes)[number]
