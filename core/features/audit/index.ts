export { operatorName, recordAudit, type AuditEntry } from './audit.ts'
