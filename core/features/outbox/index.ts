export { canDeliver, listNewestMessages, type OutboxMessage } from './outbox.ts'
