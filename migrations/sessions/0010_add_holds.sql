-- GROUND: the human's words in results of tools, and reasoning that its provider has signed. Logs that were stored before have none until they are read anew.

ALTER TABLE block ADD COLUMN holds TEXT;   -- null, 'signature', or the length of the text and the words in it, bytes: '120 14..60'
