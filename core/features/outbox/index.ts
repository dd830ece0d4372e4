export { canDeliver, newestMessages, type OutboxMessage } from './outbox.ts'
