"""For teachers: release exercises and grade a class's notebooks without running strangers' code in one's own Python.

``python -m mcmteach grade SUBMISSIONS/`` needs the extra ``classroom``. Three processes handle a submission:

* ``grade.py`` finds the submissions (``submissions.py``), starts a worker for each, stores the results (``ledger.py``), and
  writes tables (``tables.py``), pages (``feedback.py``), a report on the class (``report.py``) and hints (``similarity.py``);
* ``worker.py`` judges one notebook by the teacher's source (``course.py``). It never executes a cell of the submission: where a
  test calls the student's function, ``remote.py`` passes the call on;
* ``student.py`` runs the submission, inside the ``sandbox.py`` (whose filter is ``syscalls.py``), and answers with numbers.

So what decides a mark (references, hidden tests, the comparison) is never in the process that the submission can
reach, nor on the disk that it can see. ``release.py`` makes the students' notebooks, with individual numbers if
wanted (``variants.py``).

For students there are ``lab.py`` (the course in JupyterLab), ``serve.py`` (the built site) and ``review.py``, which asks again
what the lessons have asked (``questions.py``).
"""
