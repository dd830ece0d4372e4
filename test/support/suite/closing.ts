type Close = () => unknown

const closers: Close[] = []

/** Registers something that the test files of this process share, to be closed after the last of them. */
export const closeAfterLastFile = (close: Close) => closers.push(close)

/** Closes all that is open. A failure keeps nothing else from being closed. */
export const closeEverything = () => Promise.allSettled(closers.splice(0).map(async (close) => close()))
