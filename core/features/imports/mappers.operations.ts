import type { Operation } from '../../kernel/operation.ts'

export const mapperOperations: Operation[] = []
