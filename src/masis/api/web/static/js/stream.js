// Following something live. The server ends a stream when nothing more happens by itself; a network ends it at any
// time. Which of the two it was, is asked of the service; then the stream resumes after the last event seen.

const FIRST_WAIT = 300;
const LONGEST_WAIT = 8000;

/**
 * @param {object} options
 * @param {() => string} options.url asked again for each connection: it says what was seen already
 * @param {string[]} options.kinds the names of the events
 * @param {(event: object) => void} options.onEvent
 * @param {() => Promise<boolean>} options.isOver whether there is nothing more to follow; it may fail
 * @param {(link: "live"|"lost"|"closed") => void} options.onLink
 * @returns {() => void} stops following
 */
export function follow({ url, kinds, onEvent, isOver, onLink }) {
  let source = null;
  let timer = 0;
  let wait = FIRST_WAIT;
  let stopped = false;

  const open = () => {
    source = new EventSource(url());
    source.onopen = () => onLink("live");
    source.onerror = ended;
    for (const kind of kinds) source.addEventListener(kind, heard);
  };
  const heard = (message) => {
    wait = FIRST_WAIT;
    onEvent(JSON.parse(message.data));
  };
  const ended = async () => {
    source.close();
    try {
      if ((await isOver()) || stopped) return stopped || onLink("closed");
    } catch (problem) {
      if (stopped || problem.status === 401 || problem.status === 403 || problem.status === 404) return;
      onLink("lost");
    }
    timer = setTimeout(open, wait);
    wait = Math.min(wait * 2, LONGEST_WAIT);
  };
  // A machine that wakes up, or a network that comes back, should not wait for the next try.
  const hurry = () => {
    if (stopped || source.readyState !== EventSource.CLOSED || !timer) return;
    clearTimeout(timer);
    wait = FIRST_WAIT;
    open();
  };

  open();
  addEventListener("online", hurry);
  return () => {
    stopped = true;
    clearTimeout(timer);
    source.close();
    removeEventListener("online", hurry);
  };
}
