import type { Operation } from '../kernel/operation.ts'
import { createPageOperations } from '../pages/index.ts'
import { registry } from './registry.ts'

/** The operations of all pages for people. */
export const pageOperations: readonly Operation[] = createPageOperations(registry)

/** The operations of all areas in the order of the document, and those of the pages, which are not in it. */
export const operations: readonly Operation[] = [...registry.operations, ...pageOperations]
