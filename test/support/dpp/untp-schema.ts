/** The schema of UNTP as the product has it, from which tests make random products. */
export { readUntpSchema, type SchemaNode } from '../../../core/features/dpp/content/index.ts'
