/**
 * The words that areas contribute to all others. An area augments an interface of this file, so that the compiler knows
 * its words, and its value has them too, so that the registry can list them.
 */

/** The types of jobs. */
export interface JobTypes {}
export type JobType = keyof JobTypes & string

/** The subjects of events, each with the types that its events have. */
export interface EventSubjects {}
export type EventSubject = keyof EventSubjects & string
export type EventType = EventSubjects[EventSubject]

/** The kinds of records that imports make, by the names that requests give them. */
export interface RecordEntities {}
export type RecordEntity = keyof RecordEntities & string

/** The meters: what plans limit, a month at a time. */
export interface MeterCodes {}
export type MeterCode = keyof MeterCodes & string

/** The resources that permissions name. */
export interface Resources {}
export type Resource = keyof Resources & string

/** What the audit trail calls the acts that it has, as `<noun>.<verb>`. Only the compiler needs them. */
export interface AuditActions {}
export type AuditAction = keyof AuditActions & string

/**
 * The words of all areas, once they have been composed. Schemas keep these lists themselves, as modules with schemas are
 * loaded before the areas are composed, and compiled afterwards.
 */
export const jobTypes: readonly JobType[] = []
export const eventSubjects: readonly EventSubject[] = []
export const eventTypes: readonly EventType[] = []
export const resources: readonly Resource[] = []
export const entityNames: readonly RecordEntity[] = []

/** Replaces the words of a list. The list stays the same array. */
export function setWords<W>(list: readonly W[], words: readonly W[]): void {
  ;(list as W[]).splice(0, list.length, ...words)
}
