export { getOperatorName, recordAudit } from './audit.ts'
