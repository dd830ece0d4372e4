export { canDeliver, listNewestMessages, readMailHtml, type OutboxMessage } from './outbox.ts'
