export { newestMessages, type OutboxMessage } from './outbox.ts'
