/** Returns the name of the constraint that an error of the driver, or of the model library, is about; undefined without one. */
export function getConstraint(error: unknown): string | undefined {
  const cause = (error as { nativeError?: unknown } | null)?.nativeError ?? error
  return (cause as { constraint?: string } | null)?.constraint
}
