/**
 * Handles what comes up in one turn of the event loop together, in its order: when the turn has read all its requests,
 * or so many of them that more would bring nothing. Answers then leave one right after the other: the client or proxy
 * behind many connections is woken by the first and finds the others, where it would be woken by each; and waking it is
 * the dearest part of sending a short answer.
 */
export function atEndOfTurn<Item>(handle: (item: Item) => void): (item: Item) => void {
  let waiting: Item[] = [];
  let isEndAwaited = false;

  function handleWaiting(): void {
    const items = waiting;
    waiting = [];
    for (const item of items) handle(item);
  }

  function endTurn(): void {
    isEndAwaited = false;
    handleWaiting();
  }

  return (item) => {
    waiting.push(item);
    if (waiting.length === maxWaiting) handleWaiting();
    else if (!isEndAwaited) {
      isEndAwaited = true;
      setImmediate(endTurn);
    }
  };
}

/** Of 4, 8, 16 and any number, the one that was as good for large answers as for short ones. */
const maxWaiting = 16;
