import type { Operation } from '../../kernel/operation.ts'

export const reportOperations: Operation[] = []
