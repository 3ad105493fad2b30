// The words of the service, as the page gets them.
import { learnWords } from "../../src/masis/api/web/static/js/logic/words.js";

learnWords(JSON.parse(process.env.MASIS_WORDING));
