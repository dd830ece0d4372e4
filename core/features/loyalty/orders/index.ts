export { orderOperations } from './orders.operations.ts'
